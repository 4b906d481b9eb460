package pegasos

import (
	"testing"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func TestConstants(t *testing.T) {
	if DefaultLambda != settings.DefaultLambda {
		t.Errorf("DefaultLambda is %v, want %v", DefaultLambda, settings.DefaultLambda)
	}
	for _, pair := range [][2]string{
		{string(Shuffled), order.Shuffled},
		{string(IID), order.IID},
		{string(Sequential), order.Sequential},
		{string(Blocks), order.Blocks},
		{string(Permutation), order.Permutation},
		{string(OffsetAuto), settings.OffsetAuto},
		{string(OffsetR2), settings.OffsetR2},
		{string(OffsetNone), settings.OffsetNone},
		{string(LastHalf), settings.LastHalf},
		{string(LastIterate), settings.LastIterate},
		{string(BiasNone), settings.BiasNone},
		{string(BiasAugmented), settings.BiasAugmented},
		{string(BiasUnregularised), settings.BiasUnregularised},
		{Balanced, settings.Balanced},
		{string(FinishNone), settings.FinishNone},
		{string(FinishDual), settings.FinishDual},
		{string(FinishAuto), settings.FinishAuto},
		{string(FinishNewton), settings.FinishNewton},
		{string(OneVsRest), settings.OneVsRest},
		{string(OneVsOne), settings.OneVsOne},
		{string(CrammerSinger), settings.CrammerSinger},
		{string(Multinomial), settings.Multinomial},
		{string(ScaleStandard), string(scale.Standard)},
		{string(CurvesNone), string(curves.None)},
		{string(CurvesProducts), string(curves.Products)},
		{string(CurvesPieces), string(curves.Pieces)},
		{string(Confirmed), proof.Confirmed},
		{string(NotConfirmed), proof.NotConfirmed},
		{string(Contradicted), proof.Contradicted},
		{string(ClaimsNothing), proof.ClaimsNothing},
		{string(ScaleNone), string(scale.None)},
		{string(ScaleMaxAbs), string(scale.MaxAbs)},
		{string(ScaleUnit), string(scale.Unit)},
	} {
		if pair[0] != pair[1] {
			t.Errorf("a public constant is %q, the internal constant %q", pair[0], pair[1])
		}
	}
}
