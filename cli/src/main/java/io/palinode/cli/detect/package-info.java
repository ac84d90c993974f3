/** {@code palinode detect}: detection offline, on a recorded trace. */
@NullMarked
package io.palinode.cli.detect;

import org.jspecify.annotations.NullMarked;
