/**
 * The tables of the papers in one form: a row holds what is measured, the printed figure, ours, and
 * a verdict. Pure, except {@link io.palinode.benchmarks.paper.Environment}: the measuring is
 * elsewhere.
 */
@NullMarked
package io.palinode.benchmarks.paper;

import org.jspecify.annotations.NullMarked;
