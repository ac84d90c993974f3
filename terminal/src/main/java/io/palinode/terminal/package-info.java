/** What commands say to a person: refusals, tables, progress; and how they ask a cluster. */
@NullMarked
package io.palinode.terminal;

import org.jspecify.annotations.NullMarked;
