package flags

import (
	"fmt"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"

	// These packages have lists, numbers and formulas for help texts.
	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Sets of commands: see Flag.In.
const (
	all     = "train predict eval report verify cv convert inspect"
	usual   = "train predict! eval! report! verify! cv convert! inspect!"
	ofTable = "train cv inspect convert"
)

var Metrics = strings.Fields("accuracy balanced-accuracy f1 roc-auc average-precision log-loss rmse r2")

// Paper lists the flags of -preset paper: the settings of pegasos.Paper.
const Paper = "-order iid -offset none -average none -scale none -target-scale none -bias none " +
	"-multiclass ovr -lambda 1e-4 -epochs 20"

// Table has all flags of all commands, in the order of the help screens.
var Table = []Topic{
	{"Objective", []Flag{
		{Name: "loss", Field: "Loss", Takes: options.Choices(pegasos.Losses()...), In: "train! cv!",
			Rule: Setting | NoKernel, Help: "the loss of a row with label y and score z: " + formulas() +
				" (default hinge; log with -multiclass multinomial; squared if the labels are taken for " +
				"regression targets)"},
		{Name: "epsilon", Field: "Epsilon", Takes: "number", In: "train cv", Rule: Setting | NoKernel | Positive,
			Help: "the error that costs nothing with -loss eps-insensitive (default: a tenth of the " +
				"labels' standard deviation, or 0 with -target-scale none)"},
		{Name: "lambda", Field: "Lambda", Takes: "number", In: "train! cv", Rule: Setting | Positive,
			Help: "the weight of the penalty on the weights of the scaled features (default: chosen from " +
				"the data)"},
		{Name: "lambda", Field: "Lambda", Takes: "number", In: "convert!",
			Default: fmt.Sprint(pegasos.DefaultLambda),
			Help:    "the weight of the penalty of a model from liblinear, whose file does not store it"},
		{Name: "c", Field: "C", Takes: "number", In: "train! cv", Rule: Setting | Positive,
			Help: "C as in other solvers, in place of -lambda. lambda is 1/(C * rows) or, with " +
				"weights of rows, 1/(C * their sum). -multiclass ovo counts the rows of each " +
				"pair"},
		{Name: "bias", Field: "Bias", Takes: "none|augmented|unregularised", In: "train! cv",
			Rule: Setting | NoKernel, Help: "the constant term of the score: augmented comes " +
				"from an appended constant feature, unregularised has no penalty (default " +
				"augmented)"},
		{Name: "bias-scale", Field: "BiasScale", Takes: "number", In: "train cv", Rule: Setting | NoKernel | Positive,
			Help: "the value of the appended constant feature (default: about the root mean square " +
				"of the other scaled features' nonzero values)"},
		{Name: "multiclass", Field: "Multiclass", Takes: "ovr|ovo|crammer-singer|multinomial",
			In: "train! cv!", Rule: Setting | ForClasses, Help: "how more than two classes are " +
				"trained: ovr trains each class against the rest; ovo trains each pair of classes; " +
				"crammer-singer, and multinomial with -loss log, train all classes in one problem (default: " +
				"chosen from the data)"},
		{Name: "costs", Field: "Costs", Takes: "file", In: "train verify!", Rule: NoKernel | ForClasses,
			Help: "the costs of mistakes with -multiclass crammer-singer: a line for each true " +
				"label, with a number for each predicted label, both in ascending order: labels " +
				"that are numbers by value, names by their bytes. The diagonal is 0"},
		{Name: "class-weight", Field: "ClassWeight", Takes: "balanced|label=weight,...",
			In: "train! cv!", Rule: Setting | NoKernel | ForClasses, Help: "weights of rows by " +
				"class. balanced gives all classes the same total weight. A list such as " +
				"yes=2.5,no=1 multiplies the weights of a class's rows (default 1)"},
		{Name: "weights", Field: "Weights", Takes: "file", In: "train eval report! verify! cv",
			Rule: NoKernel, Help: "a file with the weight of each row, one per line. A row of " +
				"weight 2 counts twice in losses, bounds, probabilities and metrics. Scaling, " +
				"means for missing values and word counts treat all weights above 0 alike"},
		{Name: "prior", Field: "Prior", Takes: "file", In: "train", Rule: NoKernel,
			Help: "penalize the distance from the weights of this file's model, which has no " +
				"curves. Use its features, labels and scaling and, by default, its bias, " +
				"multi-class scheme, and lambda, or C if it was trained with -c"},
		{Name: "prior", Field: "Prior", Takes: "file", In: "verify!",
			Help: "the model that train -prior named"},
		{Name: "scale", Field: "Scale", Takes: "none|standard|max-abs|unit", In: "train! cv!",
			Rule: Setting | NoKernel, Help: "scale the features, in training and whenever the " +
				"model is used. standard gives columns mean 0 and, unless constant, variance 1; " +
				"max-abs gives columns a largest magnitude of 1; unit gives rows length 1 " +
				"(default: chosen from the data)"},
		{Name: "curves", Field: "Curves", Takes: "none|products|pieces", In: "train cv",
			Rule: Setting | NoKernel, Help: "add columns computed from the scaled columns " +
				"of numbers. products are the square of each column with more than two values " +
				"and, if the columns are at most 12, the product of each pair. pieces are lines " +
				"that bend at the quartiles of each column with more than two values (default: " +
				"none, or chosen by the cross-validation that chooses lambda)"},
		{Name: "target-scale", Field: "TargetScale", Takes: "none|standard", In: "train cv",
			Rule: Setting | NoKernel, Help: "scale the regression targets (default standard)"},
	}},
	{"Kernel machines", []Flag{
		{Name: "kernel", Field: "Kernel.Kernel", Takes: "rbf|linear|polynomial|sigmoid",
			In: "train! cv!", Help: "train a kernel machine. The defaults are then -lambda " +
				"1e-4, -offset r2, -epochs 1 (10 with -finish none), -finish dual (none with " +
				"sigmoid or -order iid), -tol 0.01 and -multiclass ovo"},
		{Name: "gamma", Field: "Kernel.Gamma", Takes: "number", In: "train cv",
			Rule: KernelOnly | Positive, Help: "gamma in e^(-gamma |x-z|^2) of -kernel rbf, and " +
				"the factor of <x,z> in polynomial and sigmoid (default: 1 over the mean " +
				"squared length of the rows; for rbf their mean is first subtracted)"},
		{Name: "coef0", Field: "Kernel.Coef0", Takes: "number", In: "train cv", Rule: KernelOnly,
			Help: "coef0 in (gamma <x,z> + coef0)^degree of -kernel polynomial, and in sigmoid"},
		{Name: "degree", Field: "Kernel.Degree", Takes: "n", In: "train cv", Rule: KernelOnly | Positive,
			Help: "the degree of -kernel polynomial (default 3)"},
		{Name: "cache-mb", Field: "CacheMB", Takes: "n", In: "train cv", Rule: KernelOnly | NotNegative,
			Help: fmt.Sprintf("keep up to n megabytes of kernel values in memory, 0 for none (default "+
				"%d, or none if the rows have up to 256 features, all 0 or 1)", kernelsvm.DefaultCacheMB)},
	}},
	{"Solver", []Flag{
		{Name: "preset", Field: "Preset", Takes: "paper", In: "train cv", Rule: Setting,
			Help: "the settings of the paper, as far as no flag sets them: " + Paper},
		{Name: "start", Field: "Start", Takes: "file", In: "train", Rule: NoKernel,
			Help: "continue training this file's model, which has no curves, with smaller " +
				"steps. Use its features, labels and settings as with -prior"},
		{Name: "start", Field: "Start", Takes: "file", In: "verify!", Help: "the model that " +
			"train -start named. It is needed for tables, for data with features that it " +
			"lacks, and with -sigmoids"},
		{Name: "order", Field: "Order", Takes: "shuffled|iid|sequential|blocks|permutation",
			In: "train cv", Rule: Setting, Help: "the order of the rows. shuffled: once, in blocks " +
				"that come in a new order each epoch; iid: drawn with replacement; sequential: as in " +
				"the file; blocks: like shuffled, but with blocks of neighboring rows of the file; " +
				"permutation, with -kernel: shuffled in each epoch (default shuffled, or " +
				"permutation with -kernel and for dual coordinate descent from the first step)"},
		{Name: "block", Field: "Block", Takes: "n", In: "train cv", Rule: Setting | NoKernel | Positive,
			Help: fmt.Sprintf("the number of rows in a block with -order shuffled or blocks (default "+
				"%d). With shuffled it is at most a 64th of the rows", settings.DefaultBlock)},
		{Name: "batch", Field: "Batch", Takes: "n", In: "train cv", Rule: Setting | NoKernel | Positive,
			Help: "the number of rows in a step (default 1)"},
		{Name: "project", Field: "Project", In: "train cv", Rule: Setting | NoKernel,
			Help: "after each step, project the weights onto a ball that contains the optimum. " +
				"Without -prior its radius is sqrt(l/lambda), where l is the mean loss of " +
				"weights of 0 (1 for hinge losses)"},
		{Name: "offset", Field: "Offset", Takes: "auto|r2|none", In: "train cv", Rule: Setting,
			Help: "t0 in the step size 1/(lambda (t + t0)). r2 is mean |x|^2/lambda, or more " +
				"with the squared losses. auto begins with r2. It raises t0 during steps with " +
				"the hinge loss where smaller steps get closer to the optimum. none is 0 " +
				"(default auto)"},
		{Name: "average", Field: "Average", Takes: "last-half|none", In: "train cv", Rule: Setting,
			Help: "the weights of the model after Pegasos's steps: the mean over the last half " +
				"of the steps or, with none, the weights after the last step (default last-half)"},
		{Name: "finish", Field: "Finish", Takes: "none|dual|auto|newton", In: "train cv", Rule: Setting,
			Help: fmt.Sprintf("the solver. none is Pegasos's steps; dual is dual coordinate "+
				"descent; newton is Newton's method. auto chooses by the predicted times, and "+
				"newton only for up to %d columns (default: auto with -tol, where possible; "+
				"otherwise none with -epochs, -steps or -prior, and else chosen from the data, "+
				"as docs/training.md says)", newton.MaxColumns)},
		{Name: "seed", Field: "Seed", Takes: "n", In: "train! cv!", Rule: Setting,
			Help: "the seed of the random numbers"},
	}},
	{"Length of training", []Flag{
		{Name: "epochs", Field: "Epochs", Takes: "n", In: "train! cv", Rule: Setting | Positive,
			Help: fmt.Sprintf("the number of passes over the rows (default of linear models: %d "+
				"to %d, by the data, -tol and -finish). By default long runs may end early, "+
				"with the objective proven to be within %g %% of the optimum",
				choose.MinPasses, choose.MaxPasses, 100*choose.ProofTol)},
		{Name: "steps", Field: "Steps", Takes: "n", In: "train cv", Rule: Setting | Positive,
			Help: "the number of steps, in place of -epochs"},
		{Name: "passes", Field: "Kernel.Passes", Takes: "n", In: "train cv", Rule: KernelOnly | Positive,
			Help: "the number of passes after which dual coordinate descent with -kernel ends (default " +
				"100), unless -tol is reached earlier"},
		{Name: "passes", Field: "Passes", Takes: "n", In: "verify!", Default: "20", Rule: NotNegative,
			Help: "the number of passes of dual coordinate ascent in the first attempt to " +
				"improve the lower bound. While the bound is weaker than claimed, two more " +
				"attempts make 4 and 16 times as many"},
		{Name: "tol", Field: "Tol", Takes: "share", In: "train! cv", Rule: Setting | Positive,
			Help: fmt.Sprintf("stop when the objective is proven to be at most this share above "+
				"the optimum: 0.01 is 1 %% (linear models: by default after at most %d epochs, "+
				"or %d with -finish newton)",
				choose.MaxPasses, settings.DefaultNewtonEpochs)},
		{Name: "patience", Field: "Patience", Takes: "n", In: "train", Rule: Setting | NoKernel | Positive,
			Help: "stop after n measurements on the data of -valid without a better model, and " +
				"keep the best model. Measurements follow epochs 1 to 8, 10, 12, 15 and so on"},
		{Name: "valid", Field: "Valid", Takes: "file", In: "train", Rule: NoKernel,
			Help: "data to measure the model on, for the report, -patience and -plot. Repeat " +
				"the flag for several files, which are read as one"},
		{Name: "valid-weights", Field: "ValidWeights", Takes: "file", In: "train", Rule: NoKernel,
			Help: "a weight for each row of -valid, one per line"},
		{Name: "holdout", Field: "Holdout", Takes: "share", In: "train!", Rule: NoKernel,
			Help: "hold out this share of the distinct rows, of each class alike, and print the " +
				"report of eval for them: 0.2 is 20 %. Equal rows are held out together. -seed " +
				"chooses the rows"},
	}},
	{"Grid of settings", []Flag{
		{Name: "folds", Field: "Folds", Takes: "n", In: "cv!", Default: "5", Rule: NoEffect,
			Help: "the number of folds"},
		{Name: "lambdas", Field: "Lambdas", Takes: "list", In: "cv!", Rule: NoEffect,
			Help: "the lambdas to try, such as 1e-3,1e-4, or 1e-6:1e-2:9 for nine from 1e-6 to 1e-2 " +
				"(default 0.1 to 1e-7 times mean |x|^2)"},
		{Name: "cs", Field: "Cs", Takes: "list", In: "cv!", Rule: NoEffect,
			Help: "values of C to try in place of lambdas, such as 0.1,1,10 or 0.01:100:9"},
		{Name: "gammas", Field: "Gammas", Takes: "list", In: "cv!", Rule: NoEffect | KernelOnly,
			Help: "the gammas to try with -kernel, such as 0.01,0.1,1"},
		{Name: "metric", Field: "Metric", Takes: strings.Join(Metrics, "|"), In: "cv!", Rule: NoEffect,
			Help: "the metric by which settings are compared, as in eval (default accuracy, or rmse for " +
				"regression targets)"},
	}},
	{"Verification", []Flag{
		{Name: "proof", Field: "KeepProof", Takes: "file", In: "train", Rule: NoKernel,
			Help: "write the dual variables to this file. With the file verify can prove the " +
				"gap that the model claims. It has up to two bytes per row for each weight " +
				"vector"},
		{Name: "proof", Field: "KeepProof", Takes: "file", In: "verify!",
			Help: "the dual variables that train -proof wrote"},
		{Name: "hash", Field: "Hash", Takes: "hex", In: "verify!",
			Help: "the hash that the model should have, or its first 16 or more digits"},
		{Name: "sigmoids", Field: "Sigmoids", In: "verify!", Help: "also train the folds of " +
			"train -proba again, and compare the sigmoids that turn scores into " +
			"probabilities. This takes as long as in training. Add -start if training had it"},
	}},
	{"Conversion", []Flag{
		{Name: "from", Field: "From", Takes: "liblinear|json", In: "convert!",
			Help: "read a model in this format"},
		{Name: "to", Field: "To", Takes: "liblinear|onnx|json|go", In: "convert!",
			Help: "write the model in this format"},
		{Name: "for", Field: "For", Takes: "file", In: "convert!",
			Help: "write the features that the model in this file computes from DATA"},
		{Name: "stream", Field: "Stream", In: "convert!", Help: "convert svmlight data or a " +
			"table to .pgsm without holding the rows in memory. DATA are files, which are " +
			"read at least twice"},
	}},
	{"Data", []Flag{
		{Name: "format", Field: "Data.Format",
			Takes: options.Choices(append(dataset.Formats(), dataset.FormatAuto)...), In: usual,
			Default: "auto", Rule: Form, Help: "the format of the data. With lines, each line " +
				"is a text, or a label, a tab and a text. With auto, the file's name decides, " +
				"and standard input is svmlight"},
		{Name: "layout", Field: "Data.Layout", Takes: "dense|sparse|auto", In: all, Default: "auto",
			Help: "how rows are stored. auto is as in training (verify, report) or in the .pgsm " +
				"file, otherwise dense if a quarter or more of the values are nonzero"},
		{Name: "label", Field: "Data.LabelColumn", Takes: "column", In: "train! predict! eval! " +
			"report! verify! cv! convert! inspect!", Rule: Form, Help: "short for -label-column"},
		{Name: "label-column", Field: "Data.LabelColumn", Takes: "column", In: all, Rule: Form,
			Help: "the column of a table or .npy file that has the labels: a number counted from 0, " +
				"last, or, in a table, a name (default: the column of the training data; in training, " +
				"the first or last column if it alone is called label, target, class or y, or the last " +
				"if none is)"},
		{Name: "labels", Field: "Data.Labels", Takes: "yes|no|auto", In: "predict!", Default: "auto",
			Help: "whether DATA has labels. auto decides by the header, the number of columns, " +
				"or the beginning of the first line"},
		{Name: "missing", Field: "Missing", Takes: "fill|error|drop", In: all, Default: "fill",
			Help: "how to treat missing values in a table. fill replaces a missing number by " +
				"the mean, and keeps a missing word as a level of its own. error refuses " +
				"missing values. drop is fill, but leaves out rows without a label"},
		{Name: "strict", Field: "Strict", In: "train! predict! eval! report! verify! cv convert! inspect!",
			Rule: NoEffect, Help: "fail if there is any doubt about the data, instead of " +
				"printing lines 'warning: ...'"},
		{Name: "data", Field: "TextData", Takes: "file", In: "inspect!", Help: "a table with text, such " +
			"as the training data, whose words name the weights of text features"},
		{Name: "index-base", Field: "Data.IndexBase", Takes: "0|1|auto", In: all, Rule: Indices,
			Help: "the number of the first feature in svmlight data (default 1, or as in the model)"},
		{Name: "unsorted", Field: "Data.Unsorted", Takes: "error|sort|sum", In: all, Rule: Indices, Help: "how " +
			"to treat svmlight rows whose indices do not ascend. sum sorts them and adds " +
			"the values of equal indices (default error)"},
		{Name: "hash-bits", Field: "Data.HashBits", Takes: "n", In: all, Rule: NotNegative,
			Help: "hash svmlight indices, which may then be up to 2^64-2, to 2^n features (0: no " +
				"hashing)"},
		{Name: "in-memory", Field: "Data.InMemory", In: all, Rule: NoEffect,
			Help: "read a .pgsm file into memory and check all of it, instead of mapping it"},
	}},
	{"Text of a table", []Flag{
		{Name: "sep", Field: "Data.Separator", Takes: "character", In: usual, Rule: Form | Cells | Character,
			Help: "the separator of cells: a printable ASCII character, or comma, semicolon, tab or pipe " +
				"(default: found in the file)"},
		{Name: "header", Field: "Data.Header", Takes: "yes|no|auto", In: usual, Default: "auto", Rule: Form | Cells,
			Help: "whether the first row of a table names the columns"},
		{Name: "quote", Field: "Data.Quote", Takes: "character", In: all, Rule: Form | Cells | Character,
			Help: "the quote around cells, or none (default: found in the file)"},
		{Name: "comment", Field: "Data.Comment", Takes: "character", In: all, Rule: Form | Cells | Character,
			Help: "the character that begins comment lines, which are skipped, or none (default: found " +
				"in the file)"},
		{Name: "skip-lines", Field: "Data.SkipLines", Takes: "n", In: all, Rule: Form | NotNegative,
			Help: "skip the first n lines of a table (default: found in the file)"},
		{Name: "encoding", Field: "Data.Encoding", Takes: strings.Join(form.Encodings, "|"),
			In: all, Rule: Form, Help: "the encoding of a table's text. iso-8859-1 and latin1 " +
				"mean windows-1252 (default: found in the file)"},
		{Name: "decimal", Field: "Data.Decimal", Takes: ".|,", In: all, Rule: Form | Character,
			Help: "the decimal mark, where the cells of a column allow both"},
	}},
	{"Columns of a table", []Flag{
		{Name: "ignore", Field: "Ignore", Takes: "list", In: ofTable, Rule: Form | Kinds,
			Help: "columns to leave out: names, or numbers counted from 0, separated by commas, " +
				"with quotes around a name that has a comma. * is every column that no list " +
				"names. '' is a column without a name. This flag and the next four may be " +
				"repeated, for further columns"},
		{Name: "numbers", Field: "Numbers", Takes: "list", In: ofTable, Rule: Form | Kinds,
			Help: "columns to read as numbers. Cells that are not numbers count as missing"},
		{Name: "dates", Field: "Dates", Takes: "list", In: ofTable, Rule: Form | Kinds,
			Help: "columns to read as dates, such as born, or born=dmy if the day is before the month " +
				"(dmy, mdy or ymd)"},
		{Name: "categories", Field: "Categories", Takes: "list", In: ofTable, Rule: Form | Kinds,
			Help: "columns to read as categories, even if the values look like numbers or identifiers"},
		{Name: "text", Field: "Text", Takes: "list", In: ofTable, Rule: Form | Kinds,
			Help: "columns to read as text, with features for their n-grams"},
		{Name: "ngrams", Field: "Grams", Takes: "n", In: ofTable, Default: "2", Rule: Kinds,
			Help: "the largest number of words in an n-gram of text"},
		{Name: "words", Field: "Words", Takes: "n", In: "train cv", Rule: NotNegative,
			Help: "store the words of the n largest weights of text in the model, so that inspect can " +
				"print them"},
	}},
	{"Output", []Flag{
		{Name: "model", Field: "Model", Takes: "file", In: "cv!", Rule: NoEffect,
			Help: "write a model trained on all rows with the best settings"},
		{Name: "model", Field: "Model", Takes: "file", In: "train", Rule: NoEffect,
			Help: "write the model to this file, which may have any name, in place of the argument MODEL"},
		{Name: "scores", Field: "Scores", In: "predict!", Help: "write the scores beside the labels"},
		{Name: "proba", Field: "Proba", In: "predict!",
			Help: "write the probabilities of the classes beside the labels"},
		{Name: "keep", Field: "Keep", Takes: "list", In: "predict!",
			Help: "write CSV with a header: these columns of a table, then the prediction. all " +
				"is every column. The list is as in train -ignore, and the flag may be repeated"},
		{Name: "proba", Field: "Proba", In: "train!", Rule: NoKernel | ForClasses,
			Help: "add probabilities by Platt's method with 5 folds, which trains 6 times. They " +
				"use -weights but not -class-weight. With -loss log the model has probabilities " +
				"anyway"},
		{Name: "top", Field: "Top", Takes: "n", In: "inspect!", Default: "5", Rule: NotNegative,
			Help: "the number of weights to print for each class"},
		{Name: "top", Field: "Top", Takes: "n", In: "report!", Default: "10", Rule: NotNegative,
			Help: "the number of weights to show for each class"},
		{Name: "json", Field: "JSON", Takes: "file", In: "train! eval! verify! cv! inspect!",
			Rule: NoEffect, Help: "write the results as JSON to this file or, with -, to standard output " +
				"in place of the usual text"},
		{Name: "plot", Field: "Plot", Takes: "file", In: "train", Rule: NoKernel | NoEffect,
			Help: "draw objective, gap and accuracy, or the RMSE of a regression, against the " +
				"steps (.svg), with a few points for each doubling of the steps. -json has the " +
				"numbers too. The time for the points does not count as training time"},
		{Name: "plot", Field: "Plot", Takes: "file", In: "eval!",
			Help: "draw the confusion matrix (.svg)"},
		{Name: "checkpoint", Field: "Checkpoint", Takes: "file", In: "train", Rule: NoKernel | NoEffect,
			Help: "save the state of the run in this file, regularly and when the run ends or " +
				"is interrupted. -resume continues from it"},
		{Name: "every", Field: "Every", Takes: "duration", In: "train", Default: "30s",
			Rule: NoKernel | NoEffect | Positive, Help: "the time between two checkpoints"},
		{Name: "resume", Field: "Resume", Takes: "file", In: "train", Rule: NoKernel | NoEffect,
			Help: "continue the run of this checkpoint on the same data and with its settings. " +
				"The model is the same, bit for bit, as if the run had not stopped, unless " +
				"-epochs or -steps makes the run longer"},
		{Name: "quiet", Field: "Quiet", In: usual, Rule: NoEffect, Help: "print no progress and no summary"},
		{Name: "force", Field: "Force", In: usual, Rule: NoEffect, Help: "replace any existing file"},
	}},
	{"Limits", []Flag{
		{Name: "threads", Field: "Data.Threads", Takes: "n", Rule: NoEffect | NotNegative,
			In:   "train predict! eval! report! verify! cv! convert! inspect!",
			Help: "the number of threads (0: all). The result does not depend on it"},
		{Name: "max-memory", Field: "MaxMemory", Takes: "n", In: "train cv verify", Rule: NotNegative,
			Help: "the largest number of megabytes that training may take beside the data. " +
				"Encoded rows of a table that need more are kept in a temporary file (0: the " +
				"memory of the machine or its control group; for a file that claims more than " +
				"it has, 24 MB + 32 bytes a row + 10 times its size, or 48 bytes a feature if " +
				"that is more)"},
		{Name: "max-features", Field: "Data.MaxFeatures", Takes: "n", In: all, Rule: NotNegative,
			Help: "refuse data with more features (0: 2^18 for tables; otherwise 2^20, or the number of " +
				"values in the file if that is larger, but at most 2^27)"},
		{Name: "max-bytes", Field: "Data.MaxBytes", Takes: "n", In: all, Rule: NoEffect | NotNegative,
			Help: "refuse data of more bytes, counted after decompression (0: no limit)"},
	}},
}

func formulas() string {
	var list []string
	for _, l := range pegasos.Losses() {
		kind, _ := loss.KindOf(string(l))
		text := string(l) + " " + kind.Traits().Formula
		if l.Regression() {
			text += " (numbers)"
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}
