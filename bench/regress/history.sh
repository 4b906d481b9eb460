#!/usr/bin/env bash
#
# Keeps the gate's history, a file for each CPU model, on a branch of its own that has no other files: history.sh pull
# makes it build/history, history.sh push commits what was added there and pushes it. HISTORY_BRANCH and
# HISTORY_REMOTE name another branch and remote.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"

branch=${HISTORY_BRANCH:-bench-history}
remote=${HISTORY_REMOTE:-origin}
dir=build/history

pull() {
	local start
	if git ls-remote --exit-code --heads "$remote" "$branch" >/dev/null; then
		git fetch -q "$remote" "$branch"
		start=FETCH_HEAD
	else
		# The first time: a commit with nothing but the rule by which lines of two runs are joined.
		local rule
		rule=$(printf '*.jsonl merge=union\n' | git hash-object -w --stdin)
		start=$(git commit-tree -m 'Begin the history' "$(printf '100644 blob %s\t.gitattributes\n' "$rule" | git mktree)")
	fi
	git worktree remove --force "$dir" 2>/dev/null || rm -rf "$dir"
	git worktree prune
	git worktree add -q --detach "$dir" "$start"
}

push() {
	git -C "$dir" add -A
	git -C "$dir" diff --cached --quiet || git -C "$dir" commit -q -m "Add a run of $(git rev-parse --short HEAD)"
	# Another machine may have pushed since.
	for _ in 1 2 3; do
		if git -C "$dir" push -q "$remote" "HEAD:refs/heads/$branch"; then
			return
		fi
		git -C "$dir" fetch -q "$remote" "$branch"
		git -C "$dir" rebase -q FETCH_HEAD
	done
	echo "history: $branch could not be pushed" >&2
	exit 1
}

case ${1:-} in
pull | push) "$1" ;;
*)
	echo "usage: history.sh pull | push" >&2
	exit 2
	;;
esac
