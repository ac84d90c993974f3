/** Real processes, killed at random moments under load, and what must hold afterwards. */
@NullMarked
package io.palinode.cli.chaos;

import org.jspecify.annotations.NullMarked;
