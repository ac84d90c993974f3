/** The parts of a cluster, one process each. */
@NullMarked
package io.palinode.cli.run;

import org.jspecify.annotations.NullMarked;
