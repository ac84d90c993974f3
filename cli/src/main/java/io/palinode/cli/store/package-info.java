/** Access to the store nodes, and the commands that read and write single keys. */
@NullMarked
package io.palinode.cli.store;

import org.jspecify.annotations.NullMarked;
