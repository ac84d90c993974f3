/** The parts of a cluster, each in a process of its own. */
@NullMarked
package io.palinode.cli.run;

import org.jspecify.annotations.NullMarked;
