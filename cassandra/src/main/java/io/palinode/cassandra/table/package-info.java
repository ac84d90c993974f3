/** Tables as a predicate sees them: each live cell is a key with one version. Reads only. */
@NullMarked
package io.palinode.cassandra.table;

import org.jspecify.annotations.NullMarked;
