# SPDX-License-Identifier: Apache-2.0
# gnuplot -c random_field.gp N FIELD.npy POTENTIAL.npy PICTURE.png : one slice of both.
set terminal pngcairo size 1000,480
set output ARG4
n = int(ARG1)
set multiplot layout 1,2
set size ratio 1
unset key
unset tics
set palette cubehelix start 0.5 cycles -1.2 saturation 1.3
set autoscale xfix
set autoscale yfix
set title "density, power k^{-11/3}"
plot ARG2 binary skip=128 array=(n,n) format='%float' with image
set title "its potential"
set palette defined (0 '#0b1a3c', 1 '#2f6f9f', 2 '#e8e4d0', 3 '#c06030', 4 '#4a1010')
plot ARG3 binary skip=128 array=(n,n) format='%float' with image
unset multiplot
