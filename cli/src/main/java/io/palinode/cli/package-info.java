/** The {@code palinode} command: one class a verb, and the wiring of the parts into one process. */
@NullMarked
package io.palinode.cli;

import org.jspecify.annotations.NullMarked;
