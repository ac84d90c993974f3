/** Options that several commands have, and the forms of their values. */
@NullMarked
package io.palinode.cli.options;

import org.jspecify.annotations.NullMarked;
