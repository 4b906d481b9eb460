// Package engine runs jobs of package work as jobs of Apache Beam: on the runner inside this
// process that Beam brings (Prism), or on any other that speaks its protocol.
package engine
