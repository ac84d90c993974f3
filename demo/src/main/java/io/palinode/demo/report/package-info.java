/** The result of a demo, and the table that a person reads. */
@NullMarked
package io.palinode.demo.report;

import org.jspecify.annotations.NullMarked;
