package asm_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// golden maps a kernel's name to the SHA-256 hash of the bits of its results. The hashes hold on
// every machine and in every release: a change breaks every model hash, and so is a change of the
// contract, not of a kernel.
var golden = map[string]string{
	"dot":             "d6655009d75e091732d7258cba7293a506ec45e00834b6f6a8fab3830b5c1d49",
	"sumsquares":      "43e0852c58c5f18c132552a866039b7877d0c43e380827756a613c64ffe67a34",
	"axpy":            "71f61e2878153050dc58c09e2082ef30e4390a0338449138d82c309ee14d4a3b",
	"scale":           "0ea144efee9029b6b4c06aa23594a68ce5eae9d950918839cb8b58d91494f3e9",
	"dotsparse":       "d3a8b42d776502164275019d15493f70d3f9be30ed3f6c6740baccb9f48a184d",
	"axpysparse":      "72044ee5ab7e2db803316b0fd5dcc9373888eedb5f7ee9379cdeaa760404ce77",
	"dotsame":         "6c9e78164f8779f04a587fffac34d91c38b0b3bf217ae10b5b0caa6318823b68",
	"axpysame":        "51ba655b3c3e6d41f2576cb7de23b2f7eea03e12e0f967a1a1b63f3f062da27c",
	"stepssame":       "49e4ccb935030d0637b406eec38a729be2bbdab8d9e7ff3f025779f782c9b271",
	"squareddistance": "161d27fd785a6caa4246139b0bd42aa496e6c26e9100a13dd06e8dcc6c6225f4",
	"dotnorms":        "7c80d9df824f594ee0b78bd5de89df0692a675fd0c2f8251ed65a879af28b7f7",
	"norm":            "5ec9febbaf0a4b6270d035fbccfbb8e6102165e4a2ea892ba77da87ac3f48220",
	"distance":        "36fe118f255b24ea6e96b6a30e7cbc7d32035bac470edbe260606398f0340006",
	"cosine":          "d4a7cf4f2901e07ff5903f9ea8edf4b5a6a816d4e3e3ca57ab6e1af6f03bdb27",
	"axpby":           "f20d07d81f3c75a367f59b7c88208e3a4164e698026cb870c0a157b4a6bb2cdd",
	"sum":             "f1e614a30dee3cf0dd322b4769b1b0e59fb65e20ca236768aca3c286f6eeb73a",
	"sumabs":          "623d6782de732cb612997a2091189ec2131bf4b49675759392a85ae90dbaff4f",
	"l1distance":      "3e3e6b6a8e8620ddefa6cb5001c02987ed477305cc40e15e6a41b241ea6c0fba",
	"axpy64":          "677e29b006db15763db1ecaac1b773c3c20a93883404d6e84d0aab33efb8a662",
	"dot64":           "bcde48bd3028b34b8e334a359c395944607ac6830bbca24ead9f0e501caa308e",
	"sigmoid":         "6500c8c5bae1ef7f219039395857ef1d5e276db7c5ce34096d11b27a9f39d754",
	"log1pexp":        "f9b7cb28fcf210fc2bb99235e9b538be980dfd3760b5a26f25eeb04338fcc910",
	"min":             "ebe1404ddb618426e9c8d700e294743b533dc008b4fc9cfc23bdaed182b8d966",
	"max":             "a901c4ecf58123a78a851f50660be6eafb552cfca602709861e06270416a0a29",
	"argmin":          "9a9c245cbabbf3e623873500d8351ebea72cb0380cb806a0f87baf6c0115a7c3",
	"argmax":          "61aac3024384baa17b0d0686b381036894525f727d003ec48f573272ff8840c8",
	"find":            "25c02a968692d148bbc9afc4a5c15a63ef261090cb739b2f2e186dfaeeb728c2",
	"add":             "3b2f3f77ec12968d7c4ba3114c1e6487d126b9cc27754a0a68f3cfd4d03e3516",
	"sub":             "572e3631c9e7a4a836ac694072165db0c252396cb6a98509fe80a2c50e9bb8b6",
	"mul":             "ac2b82d8d311da649f4c2a1a0744b6790e8439a9d649dca77f5b442b9326cdcf",
	"scaleto":         "0ea144efee9029b6b4c06aa23594a68ce5eae9d950918839cb8b58d91494f3e9",
	"axpyto":          "71f61e2878153050dc58c09e2082ef30e4390a0338449138d82c309ee14d4a3b",
	"dotrows":         "370814332ed8eaed4491b52294cea8ed78a1155bc4748b97eec8ceb8cd9b5bbf",
	"cosinerows":      "0859cbc3fd9bfb38c588fa2a4e5b1229cb2d3cbd4c9069147e808b9af94d6513",
	"dotrowsat":       "30d442ae3228d93d0f35c7883ca27a4c330063dd36daf0323e3d7953428e3b39",
	"axpyrows":        "188706db6a7a502909c9360624d1a91454440b7b67fd261d781754893d866dc8",
	"gemvt":           "9cc4adca5ef59352382e6bd4f0345aef8a178fa0305ec6c8a236eb929784bd91",
	"ger":             "92314507330530b75c8fb8eb7b2f7620df421d36a9773bb4b24c140556485a02",
	"gemm":            "1e315363787e7b0f6a1fd3464a3db1f8e9197f9f025040ca09e3896934ddb668",
	"packcolumns":     "d3202a5dd8548627dd5c3f14dd7c7a28de94a285a1a38682588d6d127e8e775f",
	"rankk":           "38811dc72ead7ce9a1184bfb6f1ff4b41e827182024f3e8010543275ad04d834",
	"rankkpairs":      "fc2947e607b818e570486c8ae5b78da7e2023a4a76eef75cafc5d49815c7b84f",
	"pack":            "5abe6b7fb2ed9cd6eff4ca782bf26b6fa34a2036b5df21e77b0094d229109ec2",
	"dotsparsek":      "4ffafa27e9ba9188098ae5616b8941419359dc6121374e8e6e343f1c3878a2ef",
	"axpysparsek":     "39304a9a94ea0c6727a1e59b9ecedb60720519843b4092c201278f3375cfa4e9",
	"prefetch":        "fb678f67aea5293efa9930a41b828fdfb475dc2b427628588640e080884f0e45",
	"unpackdot":       "fe16bc91ff72a5d326cf39182877a03d97ec9a208dc416416e5d68a05c22a1a4",
	"unpack":          "a1ebac09a2dba5ec558e7e301eb5cb2b0b148ed411d827d1f25368f257ae3f9a",
	"dotint8":         "dd0510c881a01ca96070a4f745f4e3d6ed1b56e142c61e5904b6472a687c43d6",
	"dotuint8":        "cbd90a1bb995d43ace7a918468ea8ca44d11b37f25ef5a026e3a220e9f7e0151",

	"squareddistancerows":  "7cd94b3c307baff330b00130c40969232b01e138aa8b72c2faf8381cf6133ace",
	"squareddistanceint8":  "315d528ac1b0d32713ba208d78c16385b117a024102acdde3bd0244ae9c05645",
	"squareddistanceuint8": "7c23c964898b6556e7042e2c70ca2c9a484f68786153dc06038a1852decacef0",
	"dotrowsint8":          "66c67953e21e1928e32f0156a4e4a7b856929b3174bed0b9c623833996d4bf98",
	"dotrowsuint8":         "85f5a860aeaf2dd4135d004359abb6fefd4aec0129e718ccaf0bd7dd23d75d6e",
	"dotfloatint8":         "eabda62f3343fc81ff142c4513b940d6360d2503ec900386895743ee82ac274a",
	"dotfloatuint8":        "e0f756d2f368ba8f6cbbfee579a667ce96b222c0fcc9416f9cb507d41a538743",

	"squareddistancerowsint8":  "8f6439d0a74877453bef550de0081e6790a6cd6105c501358c91780ef01e3d2f",
	"squareddistancerowsuint8": "ca0691271eeefe10e3b64ebde5f8832d4d244425300b6b2b6ca96412249441ba",

	"squareddistance64":       "7f3886d16d45e5bb40e9e0586dfa49d6c6df59735712c6de8e06d3a8a7e81998",
	"dotnorms64":              "b979ab5c0c1b31d2b2d294ef839a77cfbe08bb89777d2a545d844844dcbfdcc6",
	"dotfloat16":              "06b6606ef2bf0e8e2c2d8aceeef8f21df10e1954df44cca0a8a045803160768f",
	"dotbfloat16":             "87b44a162fa016856b5b5b05311c2e3bf55e16e30479ad7cd32e0b94c655279e",
	"squareddistancefloat16":  "0d95f92fa5571c5a95b70704f08f4146c1aa305771d2ca9f49b1577d23eec901",
	"squareddistancebfloat16": "5d9e3ec844f905fa0d99082aee4fe9625c2248bce03abe607d532a6c627cf113",
	"cosinefloat16":           "3f989ffbf593ca8d4f63c69d09472be2b6f543fd10d60b423d627dc9386b5256",
	"cosinebfloat16":          "ce16b1bfc50203d673a30719d01a218b50a222dc41a3cd82a2e04925da82301d",
	"unpackfloat16":           "eb50cdedd2b3cfbf98d87f2227c1bfbf82b32f09424eae8c94ee558431b40417",
	"unpackbfloat16":          "e14ccc3b954355d1e95f8771ff1ed149ef4074da79cce2b7ffbca0bce587ecb2",
	"packfloat16":             "b8da744eb59ac60b4d3969e40cf15a90dcd1eba08ca6767ca4e5dafef15143d5",
	"packbfloat16":            "847020ad76642719bc544d5b1bc15c281e34c13dff78eb5d3d0b49bedd314d96",
	"hamming":                 "7f8a308878a3ab723dc0a652ea6b51496ded1d2475a92c1022c76ee2c87f5464",

	"normsfloat16":  "0dec1c8865072507b4f5e4a9654cce07bfbc8bae74bb6348bb892765c077dcdf",
	"normsbfloat16": "8a703bc0e8f9f48c4ca947e4f108663c9db126575bc0b290e2630c334d36315c",

	"exp": "9b6315b9584adb187f3e19b64b229612eab3a42ce695474d574af4bf8e856d9b",
}

func TestGolden(t *testing.T) {
	each(t, func(t *testing.T, k asmtest.Kernel) {
		h := sha256.New()
		for _, n := range []int{0, 1, 2, 3, 7, 8, 15, 31, 54, 63, 64, 65, 100, 128, 300, 784, 1023,
			asm.Block, asm.Block + 77} {
			for _, s := range []*asmtest.Source{asmtest.Uniform(1), asmtest.Odd(2, 8),
				asmtest.Bits(3)} {
				a := k.New(n, asmtest.Heap{}, s)
				for _, v := range call(k, a) {
					writeFloat(h, v)
				}
			}
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != golden[k.Name] {
			t.Errorf("hash is %s, want %s", got, golden[k.Name])
		}
	})
}

// writeFloat adds v to the hash. All NaNs are hashed alike, because payloads are not promised.
func writeFloat(h hash.Hash, v float32) {
	bits := math.Float32bits(v)
	if v != v {
		bits = 0x7fc00000
	}
	h.Write(binary.LittleEndian.AppendUint32(nil, bits))
}
