package pegasos

var (
	SettingsOf   = Config.settings
	FromSettings = fromSettings
)
