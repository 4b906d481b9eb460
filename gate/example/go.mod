module example.com/search

go 1.24.0
