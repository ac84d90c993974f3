/** {@code palinode bench}: what the parts cost on this machine. */
@NullMarked
package io.palinode.cli.bench;

import org.jspecify.annotations.NullMarked;
