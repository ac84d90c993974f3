/** The detection job. Its cores are production's; what Flink does around them is simulated. */
@org.jspecify.annotations.NullMarked
package io.palinode.simulation.job;
