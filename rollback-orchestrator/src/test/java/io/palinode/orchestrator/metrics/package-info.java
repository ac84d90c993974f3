@NullMarked
package io.palinode.orchestrator.metrics;

import org.jspecify.annotations.NullMarked;
