/** The {@code palinode} command. Each group of commands has its own package. */
@NullMarked
package io.palinode.cli;

import org.jspecify.annotations.NullMarked;
