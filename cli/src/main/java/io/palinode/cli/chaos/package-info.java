/** {@code palinode chaos}: its options. */
@NullMarked
package io.palinode.cli.chaos;

import org.jspecify.annotations.NullMarked;
