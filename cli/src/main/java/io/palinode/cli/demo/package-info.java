/** {@code palinode demo}: its options. */
@NullMarked
package io.palinode.cli.demo;

import org.jspecify.annotations.NullMarked;
