package kernelsvm

// DefaultCacheMB is the default size of the kernel cache, in MB of 10^6 bytes.
const DefaultCacheMB = 256

// wordsUncached is the largest number of 64-bit words in bit rows whose kernel values are too cheap
// for a default cache.
const wordsUncached = 4

// Trainer is a Config together with settings that do not influence scores, and with Func, which
// cannot be written to a file.
type Trainer struct {
	Config

	// Func is the kernel; required if Config.Kernel is Function, nil for all other kernels.
	Func Func

	// Threads is the number of goroutines; 0 means GOMAXPROCS. It does not influence scores.
	Threads int

	// CacheMB limits the cached kernel values, in MB of 10^6 bytes. 0 means DefaultCacheMB, or no
	// cache for rows whose kernel values are cheap: zeros and ones in at most 256 columns, unless
	// the kernel is a Function. A negative number means no cache. Problems that are solved at the
	// same time get equal parts of the limit.
	CacheMB int

	// MaxMemory limits the estimated bytes that a run needs besides the data and the kernel cache;
	// 0 means 4 GiB. The error for a larger run is a *[pegasos.ConfigError].
	MaxMemory int64

	// Fingerprint makes Train store a fingerprint of the rows and labels in Model.Data, for Verify.
	Fingerprint bool

	// Progress, if not nil, is called after each epoch of Pegasos, when passes of dual coordinate
	// ascent begin, and at the end of the ascent.
	Progress func(Progress)
}

// Progress reports the state of a run. Epoch and Pass refer to the problem whose progress is
// reported.
type Progress struct {
	Epoch  int   // finished Pegasos epochs, including an incomplete last epoch
	Pass   int   // begun passes of dual coordinate ascent
	Values int64 // float32 kernel values computed so far, without reads from the cache

	// Objective and relative Gap of the current weight vectors, as in Result; w is 0 in problems
	// that have not begun. Objective and Gap are NaN if unknown.
	Objective, Gap float64
}
