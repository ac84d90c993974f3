/** Measures what is in the tables of {@code palinode bench paper}. */
@NullMarked
package io.palinode.cli.bench.paper;

import org.jspecify.annotations.NullMarked;
