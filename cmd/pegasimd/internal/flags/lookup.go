package flags

import "strings"

// Topics returns the command's flags by topic: all, or only the flags that -h lists.
func Topics(command string, all bool) (topics []Topic) {
	for _, topic := range Table {
		var flags []Flag
		for _, f := range topic.Flags {
			if has, usual := f.of(command); usual || all && has {
				flags = append(flags, f)
			}
		}
		if flags != nil {
			topics = append(topics, Topic{topic.Title, flags})
		}
	}
	return topics
}

// Of returns all flags of the command, in the order of the table.
func Of(command string) (flags []Flag) {
	for _, topic := range Topics(command, true) {
		flags = append(flags, topic.Flags...)
	}
	return flags
}

// OfField returns the flag, with its -, that sets a field of a Config or a Trainer, or the field's
// name if no flag does.
func OfField(field string) string {
	for _, topic := range Table {
		for _, f := range topic.Flags {
			if f.Field[strings.LastIndexByte(f.Field, '.')+1:] == field {
				return "-" + f.Name
			}
		}
	}
	if field == "Calibrate" {
		return "-proba"
	}
	return field
}
