package certtest

var kinds = map[string]Kind{"hinge": Hinge, "log": Log, "squared-hinge": SquaredHinge,
	"eps-insensitive": EpsInsensitive, "squared": Squared}

func KindOf(name string) Kind {
	k, ok := kinds[name]
	if !ok {
		panic("certtest: no independent loss " + name + ": add it to kinds")
	}
	return k
}
