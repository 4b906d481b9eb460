package main

import (
	"compress/bzip2"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/pegasimd/pegasimd/dataset"
)

var decompressors = []dataset.Decompressor{
	{Magic: "\x1f\x8b", Ending: ".gz",
		Open: func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
	{Magic: "\x28\xb5\x2f\xfd", Ending: ".zst", Open: openZstd},
	bzip2Of('1'), bzip2Of('2'), bzip2Of('3'), bzip2Of('4'), bzip2Of('5'), bzip2Of('6'), bzip2Of('7'),
	bzip2Of('8'), bzip2Of('9'),
}

// The magic bytes of bzip2 include the mark of the first block, because text may begin with BZh.
func bzip2Of(level byte) dataset.Decompressor {
	return dataset.Decompressor{Magic: "BZh" + string(level) + "1AY&SY", Ending: ".bz2",
		Open: func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(r)), nil }}
}

// maxWindow limits the window of a zstd file in bytes, and suffices for levels up to 20.
const maxWindow = 32 << 20

func openZstd(r io.Reader) (io.ReadCloser, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}
