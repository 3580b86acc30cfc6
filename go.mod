module github.com/lockstep-gpu/lockstep

go 1.26
