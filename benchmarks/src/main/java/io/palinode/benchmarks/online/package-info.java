/**
 * How fast the online path is: nodes, Kafka, the detection job, Kafka, a listener. The nodes are
 * real, except their store; the figures are what an application would see.
 */
@NullMarked
package io.palinode.benchmarks.online;

import org.jspecify.annotations.NullMarked;
