/** The user of a cluster: contexts with its address and credentials, and users files. */
@NullMarked
package io.palinode.cli.access;

import org.jspecify.annotations.NullMarked;
