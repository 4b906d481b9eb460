package certtest

var kinds = map[string]Kind{"hinge": Hinge, "log": Log, "squared-hinge": SquaredHinge,
	"eps-insensitive": EpsInsensitive, "squared": Squared}

// KindOf returns the loss with the given name in settings. It panics if there is none.
func KindOf(name string) Kind {
	k, ok := kinds[name]
	if !ok {
		panic("certtest: no independent loss " + name + ": add it to kinds")
	}
	return k
}
