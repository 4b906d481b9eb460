#!/usr/bin/env bash
#
# Uses our modules as others will once they are published: run it by scripts/with-proxy.sh.
set -euo pipefail

path=github.com/pegasimd/pegasimd
tree=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== go install $path/cmd/pegasimd@$VERSION"
(cd "$work" && GOBIN=$work/bin GOFLAGS=-trimpath go install "$path/cmd/pegasimd@$VERSION")
digits=dataset/digits/digits.csv.gz
"$work/bin/pegasimd" train -quiet -epochs 3 "$digits" "$work/digits.model"
"$work/bin/pegasimd" eval "$digits" "$work/digits.model"

echo "== go get, in a module of somebody else"
mkdir "$work/linker"
cd "$work/linker"
cat >main.go <<-'END'
	package main

	import (
		"context"
		"fmt"

		"github.com/pegasimd/pegasimd/dense"
		"github.com/pegasimd/pegasimd/pegasos"
		"github.com/pegasimd/pegasimd/sparse"
	)

	func main() {
		x, y := dense.New(4, 2), []float32{1, 1, -1, -1}
		for i, row := range [][]float32{{1, 2}, {2, 1}, {-1, -2}, {-2, -1}} {
			copy(x.Row(i), row)
		}
		m, err := pegasos.Train(context.Background(), x, y, pegasos.Config{})
		if err != nil {
			panic(err)
		}
		fmt.Println(dense.Dot(x.Row(0), x.Row(1)), sparse.Dot([]int32{1}, []float32{2}, x.Row(0)), len(m.Weights))
	}
END
go mod init example.com/linker 2>/dev/null
go mod edit -go="$(sed -n 's/^go //p' "$tree/go.mod")" # the library asks for no newer Go than it says
# Without the network: a proxy would be asked for a module $path/dense. Others' modules are in the cache
# already, from building the library, and go.sum holds them against it.
GOPROXY=file://$PROXY,file://$GOMODCACHE/cache/download GOSUMDB=off go get $path/{dense,sparse,pegasos}@"$VERSION"
go vet .
[ "$(go run .)" = "4 4 1" ]
cat go.mod
diff <(grep '^go ' go.mod) <(grep '^go ' "$tree/go.mod")
# Who links the kernels gets one module with them, and no more.
if go list -m all | grep -vE "^(example.com/linker|$path|golang.org/x/sys)( |$)"; then
	echo "test-proxy: the library brings more than x/sys" >&2
	exit 1
fi

echo "== every example of every public package, in a module of somebody else"
mkdir "$work/examples"
cd "$work/examples"
go mod init example.com/examples 2>/dev/null
want=0
while read -r file; do
	package=${file%/*}
	mkdir -p "$package"
	cp "$tree/$file" "$package/"
	if [ -d "$tree/$package/testdata" ]; then
		cp -r "$tree/$package/testdata" "$package/"
	fi
	want=$((want + $(grep -c '^	// \(Unordered output\|Output\):' "$tree/$file")))
done < <(git -C "$tree" ls-files '*example_test.go' | grep -v internal/)
go get $path/{dataset,dense,metrics,modelio,pegasos,pegasos/kernelsvm,quant,sparse}@"$VERSION" \
	$path/interop/blas32@"$VERSION"
go vet ./...
go test -v ./... >examples.log || { cat examples.log; exit 1; }
ran=$(grep -c '^--- PASS: Example' examples.log)
echo "$ran examples"
if [ "$ran" -lt 30 ] || [ "$ran" != "$want" ]; then
	echo "test-proxy: $ran examples ran, of $want" >&2
	exit 1
fi
cd "$tree"

scripts/tidy.sh
scripts/drift.sh
