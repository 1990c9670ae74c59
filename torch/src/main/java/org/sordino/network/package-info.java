/**
 * Networks as models of training runs: {@link org.sordino.network.NetworkLearner} for tables,
 * {@link org.sordino.network.ImageTask} for image data sets. The module {@code runs} finds both as
 * services; nothing here loads libtorch before a network is used.
 */
@NullMarked
package org.sordino.network;

import org.jspecify.annotations.NullMarked;
