/** What keeping the recent past costs, beside a list of objects. */
@NullMarked
package io.palinode.benchmarks.windowlog;

import org.jspecify.annotations.NullMarked;
