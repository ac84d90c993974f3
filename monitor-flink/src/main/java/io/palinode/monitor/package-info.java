/**
 * The records that the steps of detection exchange, parsed as far as each step needs them. Pure,
 * like the packages that use them: {@code sequence}, {@code judgement} and {@code instance}.
 */
@NullMarked
package io.palinode.monitor;

import org.jspecify.annotations.NullMarked;
