#!/bin/bash
# A sweep as a Slurm job array: every job trains a share of it into one store. Give the count of shares twice:
#   sbatch --array=1-16 examples/cluster/slurm-array.sh sweep.toml s3://bucket/prefix 16
# With --gpus=1 before this file's name every job trains on a GPU.
# A job that is preempted is queued again, and goes on from what the store has.
#SBATCH --job-name=glassware
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
#SBATCH --requeue
set -euo pipefail
exec srun glassware sweep "$1" --store "$2" --share "${SLURM_ARRAY_TASK_ID}/$3"
