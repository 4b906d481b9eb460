//go:build gc && !purego && !noasm

package bandwidth

const available = true
