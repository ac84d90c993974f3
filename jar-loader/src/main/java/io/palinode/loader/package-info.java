/** A class loader for a jar that joins another server's process. Needs only the JDK. */
@NullMarked
package io.palinode.loader;

import org.jspecify.annotations.NullMarked;
