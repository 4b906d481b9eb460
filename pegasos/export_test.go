package pegasos

// Unexported names that tests of package pegasos_test use.

var (
	SettingsOf   = Config.settings
	FromSettings = fromSettings
)
