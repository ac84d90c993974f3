/** The detection algorithms: pure, no Flink, no Kafka. */
@NullMarked
package io.palinode.detection;

import org.jspecify.annotations.NullMarked;
