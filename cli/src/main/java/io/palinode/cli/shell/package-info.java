/** What a shell needs of the command: its version, and the completion of its words. */
@NullMarked
package io.palinode.cli.shell;

import org.jspecify.annotations.NullMarked;
