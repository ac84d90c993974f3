/** Real processes, killed at random moments under load, and what must hold afterwards. */
@NullMarked
package io.palinode.chaos;

import org.jspecify.annotations.NullMarked;
