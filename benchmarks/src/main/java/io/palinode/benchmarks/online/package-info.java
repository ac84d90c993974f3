/**
 * How fast the online path is: nodes, Kafka, the detection job, Kafka, a listener. The nodes are
 * real but for their store; what is measured is what an application would see.
 */
@NullMarked
package io.palinode.benchmarks.online;

import org.jspecify.annotations.NullMarked;
