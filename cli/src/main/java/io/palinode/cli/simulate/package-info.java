/** Runs of whole clusters in virtual time, from the command line. */
@org.jspecify.annotations.NullMarked
package io.palinode.cli.simulate;
