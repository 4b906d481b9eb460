package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// An acceptance is a line "gate-accept: PATTERN" in the message of a commit between base and head.
// It accepts worse numbers that match PATTERN.
type acceptance struct {
	commit  string
	pattern *regexp.Regexp
}

var acceptLine = regexp.MustCompile(`(?mi)^[ \t]*gate-accept:[ \t]*(.*?)[ \t\r]*$`)

func acceptances(ctx context.Context, repository, base string) (all []acceptance, err error) {
	log, err := git(ctx, repository, "log", "--format=%h%n%B%x00", base+"..HEAD")
	if err != nil {
		return nil, err
	}
	for text := range strings.SplitSeq(log, "\x00") {
		commit, message, _ := strings.Cut(strings.TrimSpace(text), "\n")
		for _, line := range acceptLine.FindAllStringSubmatch(message, -1) {
			pattern, err := regexp.Compile(line[1])
			if err == nil && line[1] == "" {
				err = fmt.Errorf("there is no pattern")
			}
			if err != nil {
				return nil, fmt.Errorf("commit %s: %s: %w", commit, strings.TrimSpace(line[0]), err)
			}
			all = append(all, acceptance{commit, pattern})
		}
	}
	return all, nil
}
