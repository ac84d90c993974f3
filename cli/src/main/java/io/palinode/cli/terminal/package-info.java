/** What the commands say to a person: refusals and tables. */
@NullMarked
package io.palinode.cli.terminal;

import org.jspecify.annotations.NullMarked;
