@NullMarked
package io.palinode.orchestrator.kafka;

import org.jspecify.annotations.NullMarked;
