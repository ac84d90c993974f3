@NullMarked
package io.palinode.orchestrator;

import org.jspecify.annotations.NullMarked;
