package choose

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func TestDocs(t *testing.T) {
	thousands := func(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
	short := func(x float64) string { // .01 as the pages write it
		return strings.TrimPrefix(strings.Replace(fmt.Sprintf("%g", x), "e-0", "e-", 1), "0")
	}
	columns := newton.MaxColumns
	lambda := strings.Replace(fmt.Sprintf("%.0e", settings.DefaultLambda), "e-0", "e-", 1)
	for file, phrases := range map[string][]string{
		"docs/beam.md": {"up to " + thousands(columns) + " features"},
		"docs/training.md": {
			fmt.Sprintf("one-vs-one from %d rows a class (%d for text)", minRowsPerClassOVO,
				minRowsPerClassOVOWide),
			fmt.Sprintf("without a proof %d, or %d for text, up to %d for small data",
				settings.DefaultEpochs, MinPasses, MaxPasses),
			fmt.Sprintf("`newton` for `-loss squared` of up to %d columns", maxNarrow),
			fmt.Sprintf("mapped rows of more than %d GiB", maxMappedCopy>>30),
			fmt.Sprintf("A run continues to a proof of %g %%", 100*ProofTol),
			fmt.Sprintf("at least %d ms are allowed for the folds, and %d ms for a proof",
				int(math.Floor(minSearchBudget*(1-1.0/budgetPasses)/1e7))*10, int(minBudget/1e6)),
			"`-epochs " + fmt.Sprint(settings.DefaultEpochs) + "`", "`-lambda " + lambda + "`",
			fmt.Sprintf("visits blocks of up to %d of them", settings.DefaultBlock),
		},
		"docs/spec.md": {
			fmt.Sprintf("fill >= %s, cols > %d", short(minDenseFill), maxNarrow),
			fmt.Sprintf("cols <= %d and columns are very much apart", maxNarrow),
			fmt.Sprintf("the .9 quantile of the M_j is more than %d times", maxColumnRange),
			fmt.Sprintf("the mean of S_i is above %d times its median", maxMeanLength),
			fmt.Sprintf("more than %g times the smallest S_i above 0", maxLengthRange),
			fmt.Sprintf("4 n cols is above %d nnz", 8*maxDenseGrowth),
			fmt.Sprintf("r = max(%s min(max(10 used/n, 0.1), 1), q/n). q is %g, and %g with",
				strings.Replace(fmt.Sprintf("%.0e", lambdaShare), "e-0", "e-", 1), minLambdaRows,
				minLambdaRowsSquared),
			fmt.Sprintf("**wide** if cols > %d and nonzero/(n cols) < %s", maxNarrow,
				short(minDenseFill)),
			fmt.Sprintf("n >= %d k (%d k, if wide)", minRowsPerClassOVO, minRowsPerClassOVOWide),
			fmt.Sprintf("k (k-1)/2 cols <= %de6", int(MaxPairWeights/1e6)),
			fmt.Sprintf("k <= %d", settings.MaxPairClasses),
			fmt.Sprintf("max(%d, min(%d, %de6/max(nonzero, 1))), with %d for %d",
				settings.DefaultEpochs, MaxPasses, int(plannedVisits/1e6), MinPasses,
				settings.DefaultEpochs),
			fmt.Sprintf("with `tol` %g", ProofTol),
			fmt.Sprintf("at most max(%de7, %d passes (problems pass))", int(minBudget/1e7), budgetPasses),
			fmt.Sprintf("cols <= %d and columns <= %d", maxNarrow, columns),
			fmt.Sprintf("Newton counts only if columns <= %d", columns),
			fmt.Sprintf("floor(min(%d, 4 descents))", MaxPasses),
			fmt.Sprintf("if these are above %d `tol` is", maxUncheckedPasses),
		},
		"pegasos/config.go": {
			"up to " + thousands(columns) + " columns",
			fmt.Sprintf("%d epochs", MaxPasses), fmt.Sprintf("%d epochs", settings.DefaultEpochs),
			fmt.Sprintf("%d with FinishNewton", settings.DefaultNewtonEpochs),
		},
		"cmd/pegasimd/internal/flags/rows.go": {
			fmt.Sprintf("-lambda %s -epochs %d", lambda, settings.DefaultEpochs),
		},
	} {
		text, err := os.ReadFile("../../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		plain := lineBreaks.ReplaceAllString(string(text), " ")
		for _, phrase := range phrases {
			if !strings.Contains(plain, phrase) {
				t.Errorf("%s does not say %q", file, phrase)
			}
		}
	}
}

var lineBreaks = regexp.MustCompile(`\s*\n\s*(?://+ )?\s*`)
