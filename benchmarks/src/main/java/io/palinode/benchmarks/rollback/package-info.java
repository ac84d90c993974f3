/** What a rollback costs, beside copying the store's files back. */
@NullMarked
package io.palinode.benchmarks.rollback;

import org.jspecify.annotations.NullMarked;
