/** All that is known of one thing of a cluster, on one screen. */
@NullMarked
package io.palinode.cli.describe;

import org.jspecify.annotations.NullMarked;
