/** {@code palinode status}, and the commands that act on what it shows. */
@NullMarked
package io.palinode.cli.status;

import org.jspecify.annotations.NullMarked;
