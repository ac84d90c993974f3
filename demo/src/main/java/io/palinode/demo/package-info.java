/** {@code palinode demo}: one graph application, three ways, on real parts in one process. */
@NullMarked
package io.palinode.demo;

import org.jspecify.annotations.NullMarked;
