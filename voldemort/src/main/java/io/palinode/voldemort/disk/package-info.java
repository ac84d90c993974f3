/** Files of a store node beside its engine. A shell: opens and writes files. */
@NullMarked
package io.palinode.voldemort.disk;

import org.jspecify.annotations.NullMarked;
